import Foundation

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

    /// Makes a file of zeros that takes no room.
    func writeZeros(_ count: Int64, to name: String) throws {
        try write("", to: name)
        guard truncate(path(name), off_t(count)) == 0 else { throw CocoaError(.fileWriteOutOfSpace) }
    }
}
