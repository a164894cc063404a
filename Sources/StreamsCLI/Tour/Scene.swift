import StreamsHTTP
import StreamsLoopback

/// A demonstration of one feature of the library: its code, and then the output of that code.
///
/// `play()` contains `code` word for word, after the setup of the server and before the check of the output.
protocol Scene: Sendable {
    static var title: String { get }
    /// The behaviour of the server.
    static var setting: String { get }
    /// The lines that are shown.
    static var code: String { get }

    var stage: Stage { get }

    init(stage: Stage)

    /// Runs the code.
    ///
    /// - Throws: The error of the code, or ``Surprise``.
    func play() async throws
}

// The names that the code of a scene uses.
extension Scene {
    var server: LoopbackServer { stage.server }
    var client: HTTPClient { stage.client }
    var bar: ProgressDisplay { stage.bar }

    func print(_ text: String) { stage.print(text) }

    /// Waits until a line has been printed.
    func printed(_ text: String) async { await stage.wait { $0.contains(text) } }

    /// Prints the completion of a stream.
    func finish(_ completion: Subscribers.Completion<some Error>) { stage.finish(completion) }
}
