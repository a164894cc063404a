import Exchanging
import Foundation
import StreamsLoopback

/// Server-sent events with an ID and one line of data, all of the same size.
struct NumberedEvents {
    let count: Int
    /// The number of bytes of an event.
    let size: Int

    private static let firstNumber = 1_000_000
    private static let fields = "id: 1000000\ndata: \n\n".utf8.count

    /// The number of bytes of the data of all events.
    var totalDataSize: Int { count * (size - Self.fields) }

    func write(toFile path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw ExchangeFailure("no file \(path)") }
        defer { try? file.close() }
        var text = ""
        for index in 0..<count {
            text += "id: \(Self.firstNumber + index)\ndata: \(data(at: index))\n\n"
            if text.utf8.count > 1 << 20 || index == count - 1 {
                try file.write(contentsOf: Data(text.utf8))
                text = ""
            }
        }
    }

    /// The letters that the texts of the events are taken from.
    private static let letters = GeneratedBytes.bytes(0..<2 << 16).map { UInt8(ascii: "a") + $0 % 26 }

    /// Returns the data of an event by its index, from 0.
    func data(at index: Int) -> String {
        let begin = "{\"number\":\(Self.firstNumber + index),\"text\":\""
        let end = "\"}"
        let count = size - Self.fields - begin.utf8.count - end.utf8.count
        let start = index * count % (1 << 16)
        return begin + String(decoding: Self.letters[start..<start + count], as: UTF8.self) + end
    }
}
