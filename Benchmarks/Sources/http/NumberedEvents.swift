import Exchanging
import Foundation

/// Server-sent events with an ID and one line of data, all of the same size.
struct NumberedEvents {
    let count: Int
    /// The number of bytes of an event.
    let size: Int

    private static let fields = "id: 1000000\ndata: \n\n".utf8.count

    /// The number of bytes of the data of all events.
    var totalDataSize: Int { count * (size - Self.fields) }

    func write(toFile path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw ExchangeFailure("no file \(path)") }
        defer { try? file.close() }
        var text = ""
        for number in 1_000_000..<1_000_000 + count {
            text += "id: \(number)\ndata: \(data(of: number))\n\n"
            if text.utf8.count > 1 << 20 || number == 1_000_000 + count - 1 {
                try file.write(contentsOf: Data(text.utf8))
                text = ""
            }
        }
    }

    private func data(of number: Int) -> String {
        let begin = "{\"number\":\(number),\"text\":\""
        let end = "\"}"
        let padding = size - Self.fields - begin.utf8.count - end.utf8.count
        return begin + String(repeating: "x", count: padding) + end
    }
}
