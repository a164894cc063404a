import StreamsHTTP
import StreamsLoopback

/// One thing the library does: the code, and then what happens when it runs.
///
/// `code` stands word for word in `play()`, with the server's side before it and the check of what came out behind it.
protocol Scene: Sendable {
    static var title: String { get }
    /// What the server is up to.
    static var setting: String { get }
    /// The lines that are shown.
    static var code: String { get }

    var stage: Stage { get }

    init(stage: Stage)

    /// Runs the code.
    ///
    /// - Throws: What went wrong, which ``Stage/expect(_:_:)`` may have found.
    func play() async throws
}

// What the code of a scene calls by its plain name.
extension Scene {
    var server: LoopbackServer { stage.server }
    var client: HTTPClient { stage.client }
    var bar: ProgressDisplay { stage.bar }

    func print(_ text: String) { stage.print(text) }

    /// Waits until a line has been printed.
    func printed(_ text: String) async { await stage.wait { $0.contains(text) } }

    /// Says how a stream ended.
    func finish(_ completion: Subscribers.Completion<some Error>) { stage.finish(completion) }
}
