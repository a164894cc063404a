/// A record of the cache: the value that a store keeps under a key.
enum CacheRecord: Hashable, Sendable {
    /// A stored response, whose body the store keeps beside it.
    case response(StoredResponse)
    /// Responses to different requests for one URL are stored under keys of their own
    /// (``CacheKey/variant(generation:identity:fields:)``). They are selected by the credentials of the request and by
    /// its fields of these names, in lowercase and sorted. Without this record, or with another generation, none of
    /// them is found any more.
    case variants(generation: UInt64, fields: [String])

    /// The stored response, if it is one.
    var response: StoredResponse? {
        if case .response(let response) = self { response } else { nil }
    }

    /// The record in the format ``CacheKey/formatVersion``.
    func encoded() -> Data { RecordWriter.encode(self) }

    /// Creates a record from its encoding.
    ///
    /// - Returns: `nil` for anything else, also with another version, with bytes missing or left over.
    init?(decoding data: Data) {
        guard let record = RecordReader.decode(data) else { return nil }
        self = record
    }
}
