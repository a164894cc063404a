import Streams

/// Conformances for ``Publisher/encode(encoder:)`` and ``Publisher/decode(type:decoder:)``.
extension PropertyListEncoder: TopLevelEncoder {}
extension PropertyListDecoder: TopLevelDecoder {}
