import Dispatch
import StreamsHTTP
import StreamsLoopback
import Synchronization

/// The environment of a scene: a server, its client, and a console.
final class Stage: Sendable {
    private struct State {
        var transcript: [String] = []
        var progress: TransferProgress?
        var waiter: Waiter?
    }

    private struct Waiter {
        let condition: @Sendable ([String]) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    let server: LoopbackServer
    let client: HTTPClient
    let bar: ProgressDisplay
    private let console = Console(STDOUT_FILENO, indent: "  > ")
    private let state = Mutex(State())

    init(server: LoopbackServer) {
        self.server = server
        let configuration = HTTPClient.Configuration(baseURL: URL(string: server.url("")))
        client = HTTPClient(configuration: configuration, transport: SystemTransport.shared)
        bar = ProgressDisplay(on: console, logInterval: .milliseconds(250), summarisesAll: true)
    }

    /// Prints a line, and keeps it for ``expect(_:)``.
    func print(_ text: String) {
        console.say(text)
        let waiter = state.withLock { state -> Waiter? in
            state.transcript.append(text)
            guard let waiter = state.waiter, waiter.condition(state.transcript) else { return nil }
            state.waiter = nil
            return waiter
        }
        waiter?.continuation.resume()
    }

    /// Prints the completion of a stream.
    func finish(_ completion: Subscribers.Completion<some Error>) {
        let progress = bar.finish()
        state.withLock { $0.progress = progress }
        switch completion {
        case .finished: print("finished")
        case .failure(let error): print("failed: \(error)")
        }
    }

    /// Waits for the end of a stream.
    func finished() async {
        await wait { $0.last == "finished" || $0.last?.hasPrefix("failed") == true }
    }

    /// Waits until the printed lines meet a condition.
    func wait(until condition: @escaping @Sendable ([String]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMet = state.withLock { state in
                if condition(state.transcript) { return true }
                state.waiter = Waiter(condition: condition, continuation: continuation)
                return false
            }
            if isMet { continuation.resume() }
        }
    }

    /// Compares the printed lines with the expected ones.
    func expect(_ lines: String...) throws(Surprise) {
        let transcript = state.withLock { $0.transcript }
        guard transcript == lines else { throw Surprise("expected \(lines), and there was \(transcript)") }
    }

    /// Checks that the bar has shown the whole transfer.
    func expectWholeTransfer() throws(Surprise) {
        let progress = state.withLock { $0.progress }
        guard progress?.fraction == 1 else { throw Surprise("the progress ended with \(String(describing: progress))") }
    }

    /// Checks a fact that the printed lines do not show.
    func expect(_ isAsExpected: Bool, _ surprise: String) throws(Surprise) {
        guard isAsExpected else { throw Surprise(surprise) }
    }
}

/// The error of a scene with another output than expected.
struct Surprise: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
