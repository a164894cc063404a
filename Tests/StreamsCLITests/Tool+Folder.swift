import Foundation

extension Tool {
    /// Runs the tool in a folder.
    static func run(in folder: Folder, _ arguments: [String]) async throws -> Run {
        let script = #"cd "$1" && shift && exec "$0" "$@""#
        let command = ["/bin/sh", "-c", script, try executable().path]
        return try await Tool([folder.path] + arguments, command: command).start().end()
    }
}
