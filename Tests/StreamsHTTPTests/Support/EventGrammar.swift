import StreamsHTTP

/// The grammar of a stream of request events, as a state machine that accepts one signal after another:
///
/// ```
/// (attempt upload* (head (chunk | download)*)? retrying)* attempt upload* head (chunk | download)* response finished
/// ```
///
/// or one failure at any point; progress that is honest; a body in chunks or collected, never both. Only where
/// downloads are resumed may another attempt follow a chunk.
struct EventGrammar: Sendable {
    private enum State {
        case start
        case attempt
        case head
        case retrying
        case response
        case over
    }

    /// The breaches of the grammar, in order.
    private(set) var violations: [String] = []
    private(set) var chunkBytes = 0
    private var state = State.start
    private var attempts = 0
    private var chunksInAttempt = 0
    private var upload = ProgressCheck("upload")
    private var download = ProgressCheck("download")
    private var count = 0

    mutating func accept<Value>(_ event: RequestEvent<Value>) {
        count += 1
        switch event {
        case .attempt(let attempt): begin(attempt)
        case .uploadProgress(let progress):
            expect(state == .attempt, "upload progress after \(state)")
            add(upload.accept(progress))
        case .head:
            expect(state == .attempt, "a head after \(state)")
            state = .head
        case .downloadProgress(let progress):
            expect(state == .head, "download progress after \(state)")
            add(download.accept(progress))
        case .chunk(let chunk):
            expect(state == .head, "a chunk after \(state)")
            expect(!chunk.isEmpty, "an empty chunk")
            chunksInAttempt += 1
            chunkBytes += chunk.count
        case .retrying(let retry): announce(retry)
        case .response(let response): end(with: response)
        }
    }

    mutating func complete(_ completion: Subscribers.Completion<HTTPError>) {
        count += 1
        expect(state != .over, "a completion after the completion")
        switch completion {
        case .finished: expect(state == .response, "finished after \(state)")
        case .failure(let error):
            // The response's value is decoded before it is delivered: nothing fails behind it.
            expect(state != .response, "a failure after the response")
            expect(error.attempt == max(attempts, 1), "attempt \(error.attempt) failed, after \(attempts) had begun")
        }
        state = .over
    }

    private mutating func begin(_ attempt: HTTPRequest.Attempt) {
        expect(state == .start || state == .retrying, "an attempt after \(state)")
        attempts += 1
        expect(attempt.number == attempts, "attempt \(attempt.number) is the \(attempts)th")
        expect(attempt.url.user == nil && attempt.url.password == nil, "an attempt shows credentials")
        state = .attempt
        upload = ProgressCheck("upload")
        download = ProgressCheck("download")
        chunksInAttempt = 0
    }

    private mutating func announce(_ retry: HTTPRequest.Retry) {
        expect(state == .attempt || state == .head, "a retry after \(state)")
        expect(chunksInAttempt == 0, "a retry after a chunk was delivered")
        expect(retry.delay >= .zero, "a retry after a negative delay")
        expect(retry.error.attempt == attempts, "attempt \(retry.error.attempt) is repeated, after \(attempts)")
        state = .retrying
    }

    private mutating func end<Value>(with response: HTTPResponse<Value>) {
        expect(state == .head, "a response after \(state)")
        if let data = response.body as? Data {
            expect(data.isEmpty || chunksInAttempt == 0, "a body was delivered and collected")
        }
        if let last = download.last, let fraction = last.fraction {
            expect(fraction == 1, "the response came at \(last.completed) bytes of \(last.total ?? -1)")
        }
        state = .response
    }

    private mutating func add(_ problem: String?) {
        if let problem { violations.append("signal \(count): \(problem)") }
    }

    private mutating func expect(_ condition: Bool, _ problem: String) {
        if !condition { add(problem) }
    }
}

/// The rules of progress within an attempt: it does not fall, repeats no value, and its total is always or never known.
struct ProgressCheck: Sendable {
    private let direction: String
    private(set) var last: TransferProgress?

    init(_ direction: String) {
        self.direction = direction
    }

    /// - Returns: The rule that the progress breaks; `nil` if it breaks none.
    mutating func accept(_ progress: TransferProgress) -> String? {
        defer { last = progress }
        if let fraction = progress.fraction {
            guard (0...1).contains(fraction) else { return "\(direction) at \(fraction)" }
        } else if progress.total != nil {
            return "\(direction) of known extent without a fraction"
        }
        guard progress.completed >= 0, progress.decoded >= 0 else { return "negative \(direction)" }
        guard let last else { return nil }
        if progress == last { return "\(direction) of \(progress.completed) twice" }
        if progress.completed < last.completed { return "\(direction) fell to \(progress.completed)" }
        if progress.decoded < last.decoded { return "decoded \(direction) fell to \(progress.decoded)" }
        if (progress.total == nil) != (last.total == nil) { return "\(direction) became \(progress)" }
        return nil
    }
}
