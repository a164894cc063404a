import Exchanging
import Foundation
import Measuring

/// The program `curl` as a side, for large bodies.
enum CurlProgram {
    static func outcome(of order: Order) throws -> Outcome {
        var arguments = ["curl", "-s", "-f", "-o", "/dev/null", "-w", "%{size_download} %{size_upload} %{time_total}"]
        arguments += ["-k", order.version == "http2" ? "--http2" : "--http1.1"]
        if order.kind == .upload { arguments += ["-T", order.file] }
        let (output, status) = try Command.run(arguments + [order.url])
        let words = output.split(separator: " ")
        guard status == 0, words.count == 3,
            let down = Int(words[0]), let up = Int(words[1]), let time = Double(words[2])
        else { throw ExchangeFailure("curl ended with \(status)") }
        let bytes = order.kind == .upload ? up : down
        guard bytes == Server.largeSize else { throw ExchangeFailure("curl moved \(bytes) bytes") }
        return Outcome(
            seconds: time, cpuSeconds: nil, peakMemory: nil, threads: 1, units: bytes, checksum: bytes)
    }
}
