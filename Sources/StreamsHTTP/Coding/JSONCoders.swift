import Streams

/// What ``Publisher/encode(encoder:)`` and ``Publisher/decode(type:decoder:)`` need of the coders for JSON.
extension JSONEncoder: TopLevelEncoder {}
extension JSONDecoder: TopLevelDecoder {}
