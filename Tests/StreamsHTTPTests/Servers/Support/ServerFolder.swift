import Foundation
import StreamsLoopback

/// Makes the folder of a server and what is in it.
struct ServerFolder {
    let path: String

    init(_ name: String) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "streams-\(name)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        path = url.path
    }

    /// The path of something in the folder.
    func path(_ name: String) -> String { "\(path)/\(name)" }

    func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
    }

    func write(_ contents: Data, to name: String) throws {
        try contents.write(to: URL(filePath: path(name)))
    }

    func write(_ contents: String, to name: String) throws {
        try write(Data(contents.utf8), to: name)
    }

    /// Writes a range of ``GeneratedBytes`` to a file, in constant memory.
    func writeGenerated(_ range: Range<Int>, to name: String) throws {
        try write("", to: name)
        let file = try FileHandle(forWritingTo: URL(filePath: path(name)))
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 1 << 20) {
            try file.write(contentsOf: GeneratedBytes.bytes(start..<min(start + 1 << 20, range.upperBound)))
        }
        try file.close()
    }
}
