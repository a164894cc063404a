import Foundation
import StreamsHTTP

@testable import StreamsHTTPTesting

/// A recording is read or refused with an error. What is read is the same after it has been written, and can be
/// replayed.
func fuzzRecordings(_ input: inout Input) throws {
    let (source, copy) = ("\(scratch)/source", "\(scratch)/copy")
    for folder in [source, copy] { try? FileManager.default.removeItem(atPath: folder) }
    mkdir(source, 0o700)
    write(input.field(), to: "\(source)/session.json")
    for number in 1...3 where number == 1 || !input.isEmpty {
        write(input.field(), to: "\(source)/000\(number)-GET.json")
    }
    let session: RecordedSession
    do {
        session = try RecordedSession(path: source)
    } catch {
        return expect(error is DecodingError || error is RecordingError, "another error: \(error)")
    }
    try session.write(to: copy)
    let again = try RecordedSession(path: copy)
    expectEqual(again.redaction, session.redaction, "the redaction")
    expectEqual(try again.exchanges.map { try $0.json }, try session.exchanges.map { try $0.json }, "the exchanges")
    for pace in [ReplayTransport.Pace.atOnce, .asRecorded] { replay(session, pace) }
}

extension RecordedExchange {
    fileprivate var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}

private func replay(_ session: RecordedSession, _ pace: ReplayTransport.Pace) {
    let transport = ReplayTransport(from: session, pace: pace, scheduler: ImmediateScheduler.shared)
    for exchange in session.exchanges {
        guard let url = URL(string: exchange.request.url) else { continue }
        let request = TransportRequest(method: HTTPMethod(rawValue: exchange.request.method), url: url)
        let receiver = Receiver()
        let running = transport.start(request, delivering: receiver)
        running.allow(bytes: .max)
        running.abort()
    }
}

private final class Receiver: TransportReceiver {
    func receive(_ event: TransportEvent) {
        switch event {
        case .head(let head): _ = "\(head.status) \(head.headers)"
        case .failed(let failure): _ = "\(failure.reason)"
        case .chunk(_, let received): expect(received >= 0, "a negative count")
        default: break
        }
    }
}
