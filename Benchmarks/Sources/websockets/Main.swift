import Foundation
import WebSocketServing

/// Compares WebSocket clients, which are measured alternately, each in a process of its own.
@main
struct WebSockets {
    static func main() async {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            switch arguments.first {
            case ServerProgram.argument: try await ServerProgram.serve()
            case Worker.argument: try await Worker(arguments).run()
            default: try Comparing(arguments).run()
            }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }
}

/// An error of a client or of the benchmark, described in one line.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
