import Streams

/// A decoder of values from data. It may be called on any thread, and on several at once. An error that it throws fails
/// the request with ``HTTPError/Reason/decoding(_:_:)``.
public typealias DataDecoder = TopLevelDecoder<Data> & Sendable

/// An encoder of values into data. It may be called on any thread, and on several at once.
public typealias DataEncoder = TopLevelEncoder<Data> & Sendable

extension JSONDecoder: TopLevelDecoder {}
extension JSONEncoder: TopLevelEncoder {}
extension PropertyListDecoder: TopLevelDecoder {}
extension PropertyListEncoder: TopLevelEncoder {}
