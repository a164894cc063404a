import Streams
import StreamsTesting
import Testing

@Suite("multicast")
struct MulticastTests {
    @Test func subscribesUpstreamWhenConnected() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let multicast = probe.multicast { PassthroughSubject() }
        let recorder = RecordingSubscriber<Int, TestError>()
        multicast.subscribe(recorder)
        #expect(probe.subscriptionCount == 0)
        let connection = multicast.connect()
        probe.send(1)
        connection.cancel()
        #expect(recorder.events == [.subscription("Multicast"), .value(1)])
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
    }

    @Test func deliversThroughTheGivenSubject() {
        let subject = CurrentValueSubject<Int, Never>(5)
        let multicast = Just(6).multicast(subject: subject)
        let recorder = RecordingSubscriber<Int, Never>()
        multicast.subscribe(recorder)
        let connection = multicast.connect()
        #expect(recorder.events == [.subscription("Multicast"), .value(5), .value(6), .finished])
        withExtendedLifetime(connection) {}
    }
}
