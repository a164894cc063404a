import Testing

@testable import StreamsHTTP

/// A result of a framing.
enum FramingResult<Element: Equatable & Sendable>: Equatable, Sendable {
    case element(Element)
    case failure(FramingError)
}

extension Framing where Element: Equatable {
    /// Appends chunks, ends the stream, and returns all results.
    ///
    /// - Parameter takesEach: Whether elements are taken after each chunk, or all at the end.
    consuming func results(of chunks: [Data], takesEach: Bool = true) -> [FramingResult<Element>] {
        var results: [FramingResult<Element>] = []
        for chunk in chunks {
            append(chunk)
            if takesEach { takeAll(into: &results) }
        }
        if takesEach { takeAll(into: &results) }
        finish()
        takeAll(into: &results)
        return results
    }

    private mutating func takeAll(into results: inout [FramingResult<Element>]) {
        while true {
            do throws(FramingError) {
                guard let element = try next() else { return }
                results.append(.element(element))
            } catch {
                results.append(.failure(error))
            }
        }
    }

    /// Expects the same results however a stream is split, and returns them.
    func resultsOfEachSplit(
        of bytes: Data, sourceLocation: SourceLocation = #_sourceLocation
    ) -> [FramingResult<Element>] {
        let whole = results(of: [bytes])
        let copy = self
        #expect(copy.results(of: [bytes], takesEach: false) == whole, sourceLocation: sourceLocation)
        for count in [1, 2, 3, 5] {
            #expect(copy.results(of: bytes.chunks(of: count)) == whole, sourceLocation: sourceLocation)
            #expect(
                copy.results(of: bytes.chunks(of: count), takesEach: false) == whole, sourceLocation: sourceLocation)
        }
        for place in 0...bytes.count {
            let parts = [bytes.prefix(place), bytes.dropFirst(place)]
            #expect(copy.results(of: parts) == whole, "split at \(place)", sourceLocation: sourceLocation)
        }
        return whole
    }
}

extension Data {
    /// Returns the bytes in parts of a size.
    func chunks(of size: Int) -> [Data] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
