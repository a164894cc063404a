import Dispatch
import Streams
import Testing

@Suite("receiveOnMainActor", .timeLimit(.minutes(15)))
struct ReceiveOnMainActorTests {
    @MainActor
    private final class Screen {
        var lines: [String] = []
    }

    @MainActor
    @Test func deliversOnTheMainActorInOrder() async {
        let screen = Screen()
        let ended = CountdownLatch()
        let subject = PassthroughSubject<Int, LawError>()
        let subscription = subject.sinkOnMainActor { completion in
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
        subscription.cancel()
    }

    @MainActor
    @Test func deliversNothingAfterCancellationOnTheMainActor() async {
        let screen = Screen()
        let subscription = [1, 2, 3].publisher.sinkOnMainActor { screen.lines.append("\($0)") }
        subscription.cancel()
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        #expect(screen.lines == [])
    }
}
