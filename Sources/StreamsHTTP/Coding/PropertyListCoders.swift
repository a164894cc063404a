import Streams

/// What ``Publisher/encode(encoder:)`` and ``Publisher/decode(type:decoder:)`` need of the coders for property lists.
extension PropertyListEncoder: TopLevelEncoder {}
extension PropertyListDecoder: TopLevelDecoder {}
