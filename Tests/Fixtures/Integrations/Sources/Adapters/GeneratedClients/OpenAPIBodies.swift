// Swift OpenAPI Generator (swift-openapi-runtime): conversions of bodies, whose chunks are requested by demand.
import HTTPTypes
import OpenAPIRuntime
import StreamsHTTP

extension StreamsHTTP.HTTPBody {
    /// Creates a body, which can be sent again if the other one can be iterated several times.
    init(_ body: OpenAPIRuntime.HTTPBody) {
        let length: Int64? = if case .known(let length) = body.length { length } else { nil }
        let chunks = body.map { Data($0) }
        self =
            switch body.iterationBehavior {
            case .multiple: .replayableStream(length: length, contentType: nil) { chunks.publisher }
            case .single: .stream(length: length, contentType: nil, chunks.publisher)
            }
    }
}

extension OpenAPIRuntime.HTTPBody {
    /// Creates the body of a response.
    convenience init(_ chunks: some AsyncSequence<Data, HTTPError> & Sendable, of head: HTTPTypes.HTTPResponse) {
        let length = head.headerFields[.contentLength].flatMap { Int64($0) }
        self.init(chunks, length: length.map { .known($0) } ?? .unknown, iterationBehavior: .single)
    }
}
