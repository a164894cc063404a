import Streams
import StreamsTesting
import Testing

@Suite("makeConnectable")
struct MakeConnectableTests {
    @Test func deliversToAllSubscribersOnceConnected() {
        let connectable = [1, 2].publisher.makeConnectable()
        let (first, second) = (RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>())
        connectable.subscribe(first)
        connectable.subscribe(second)
        let connection = connectable.connect()
        #expect(first.values == [1, 2])
        #expect(second.values == [1, 2])
        withExtendedLifetime(connection) {}
    }
}
