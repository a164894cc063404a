import Foundation

/// Compares HTTP clients, which are measured alternately, each in a process of its own.
@main
struct HTTP {
    static func main() async {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            if arguments.first == FeedServerProgram.argument {
                try await FeedServerProgram.serve(Array(arguments.dropFirst()))
            } else if arguments.first == "--work" {
                try await Worker(Order(from: arguments)).run()
            } else {
                try Comparing(Choice(arguments)).run()
            }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }
}
