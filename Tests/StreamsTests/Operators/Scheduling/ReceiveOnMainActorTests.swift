import Dispatch
import Streams
import Testing

@Suite("Delivery on the main actor", .timeLimit(.minutes(15))) struct MainActorDeliveryTests {
    @MainActor
    private final class Screen {
        var lines: [String] = []
    }

    @MainActor
    @Test("Values sent elsewhere reach isolated state, in order, the completion last")
    func delivery() async {
        let screen = Screen()
        let ended = CountdownLatch()
        let subject = PassthroughSubject<Int, LawError>()
        let activity = subject.sinkOnMainActor { completion in
            screen.lines.append("\(completion == .failure(.failed))")
            ended.fire()
        } receiveValue: { value in
            screen.lines.append("\(value)")
        }
        DispatchQueue.global().async {
            for value in 1...3 { subject.send(value) }
            subject.send(completion: .failure(.failed))
        }
        await ended.wait()
        #expect(screen.lines == ["1", "2", "3", "true"])
        activity.cancel()
    }

    @MainActor
    @Test("Cancelled on the main actor, nothing comes any more")
    func cancellation() async {
        let screen = Screen()
        let activity = [1, 2, 3].publisher.sinkOnMainActor { screen.lines.append("\($0)") }
        activity.cancel()
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        #expect(screen.lines == [])
    }
}
