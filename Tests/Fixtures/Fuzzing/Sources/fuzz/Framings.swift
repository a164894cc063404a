import Foundation

@testable import StreamsHTTP

/// A framing returns the same elements and errors however the bytes are split, no element larger than its limit, and
/// the events that a reader of whole texts finds.
func fuzzFraming(_ input: inout Input) {
    let (kind, size, limit) = (input.byte(), Int(input.byte()) + 1, Int(input.byte()) * 4)
    let bytes = Data(input.remainder())
    switch kind % 4 {
    case 0:
        for case .element(let line) in outcomes(LineFraming<Data>(maxElementSize: limit), bytes, size) {
            expect(line.count <= limit && !line.contains(UInt8(ascii: "\n")), "a line is too long or has a line feed")
        }
    case 1:
        let lines = outcomes(LineFraming<Data>(maxElementSize: limit), bytes, size)
        expectEqual(
            outcomes(LineFraming<String>(maxElementSize: limit), bytes, size),
            lines.map { $0.map { String(decoding: $0, as: UTF8.self) } }, "text and bytes differ")
    case 2:
        for case .element(let text) in outcomes(JSONSequenceFraming(maxElementSize: limit), bytes, size) {
            expect(text.count <= limit && !text.contains(0x1E), "a text is too long or has a separator")
        }
    default:
        _ = outcomes(EventStreamFraming(lastEventID: "0", maxElementSize: limit), bytes, size)
        let events = outcomes(EventStreamFraming(lastEventID: "0", maxElementSize: .max), bytes, size)
            .compactMap { if case .element(.event(let event)) = $0 { event } else { nil } }
        expectEqual(events, wholeEvents(in: bytes), "the events are not those of the whole text")
    }
}

private enum Outcome<Element: Equatable>: Equatable {
    case element(Element)
    case failure(FramingError)

    func map<Other>(_ transform: (Element) -> Other) -> Outcome<Other> {
        switch self {
        case .element(let element): .element(transform(element))
        case .failure(let error): .failure(error)
        }
    }
}

/// Returns the outcomes for the whole, and compares them with those for parts.
private func outcomes<F: Framing>(_ framing: F, _ bytes: Data, _ size: Int) -> [Outcome<F.Element>]
where F.Element: Equatable {
    let whole = outcomes(framing, [bytes], takesEach: true)
    for size in [1, size] {
        let parts = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
        expectEqual(outcomes(framing, parts, takesEach: true), whole, "the result depends on parts of \(size)")
        expectEqual(outcomes(framing, parts, takesEach: false), whole, "the result depends on when elements are taken")
    }
    return whole
}

private func outcomes<F: Framing>(_ framing: F, _ parts: [Data], takesEach: Bool) -> [Outcome<F.Element>]
where F.Element: Equatable {
    var (framing, outcomes) = (framing, [Outcome<F.Element>]())
    for part in parts {
        framing.append(part)
        if takesEach { takeAll(of: &framing, into: &outcomes) }
    }
    framing.finish()
    takeAll(of: &framing, into: &outcomes)
    return outcomes
}

private func takeAll<F: Framing>(of framing: inout F, into outcomes: inout [Outcome<F.Element>]) {
    while true {
        do throws(FramingError) {
            guard let element = try framing.next() else { return }
            outcomes.append(.element(element))
        } catch {
            outcomes.append(.failure(error))
        }
    }
}

/// Reads events as the algorithm of the HTML standard, section 9.2.6, has it, from the decoded text.
private func wholeEvents(in bytes: Data) -> [ServerSentEvent<String>] {
    var scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars[...]
    if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
    var (events, data, type, id) = ([ServerSentEvent<String>](), "", "", "0")
    while let end = scalars.firstIndex(where: { $0 == "\n" || $0 == "\r" }) {
        let line = scalars[..<end]
        let isPair = scalars[end] == "\r" && scalars[scalars.index(after: end)...].first == "\n"
        scalars = scalars[scalars.index(end, offsetBy: isPair ? 2 : 1)...]
        guard !line.isEmpty else {
            if !data.isEmpty {
                data.unicodeScalars.removeLast()
                events.append(ServerSentEvent(type: type.isEmpty ? "message" : type, data: data, id: id))
            }
            (data, type) = ("", "")
            continue
        }
        let name = line.prefix { $0 != ":" }
        var value = line.dropFirst(name.count + 1)
        if value.first == " " { value.removeFirst() }
        switch String(name) {
        case "event": type = String(value)
        case "data": data.unicodeScalars += value + ["\n"]
        case "id" where !value.contains("\0"): id = String(value)
        default: break
        }
    }
    return events
}
