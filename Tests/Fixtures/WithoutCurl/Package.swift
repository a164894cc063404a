// swift-tools-version: 6.2
import PackageDescription

// The package without its trait, as a program depends on it, and the tests that need neither libcurl nor a server.
let package = Package(
    name: "without-curl",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "streams", path: "../../..", traits: [])],
    targets: [
        .executableTarget(
            name: "client",
            dependencies: [
                .product(name: "StreamsFoundation", package: "streams"),
                .product(name: "StreamsLoopback", package: "streams"),
            ]),
        .testTarget(
            name: "StreamsFoundationTests",
            dependencies: [
                .product(name: "StreamsFoundation", package: "streams"),
                .product(name: "StreamsHTTPTesting", package: "streams"),
                .product(name: "StreamsLoopback", package: "streams"),
                .product(name: "StreamsTesting", package: "streams"),
            ]),
        .testTarget(
            name: "StreamsHTTPTestingTests",
            dependencies: [
                .product(name: "StreamsHTTPTesting", package: "streams"),
                .product(name: "StreamsLoopback", package: "streams"),
                .product(name: "StreamsTesting", package: "streams"),
            ],
            exclude: ["Support/LoopbackClient.swift"],
            sources: ["Faults", "Mock", "Support", "WebSocket"]),
        .testTarget(
            name: "StreamsHTTPTests",
            dependencies: [
                .product(name: "StreamsHTTP", package: "streams"),
                .product(name: "StreamsHTTPTesting", package: "streams"),
                .product(name: "StreamsTesting", package: "streams"),
            ],
            sources: [
                "Coding/CoderRegistryTests.swift", "Coding/CoderTests.swift", "Coding/QueryEncoderTests.swift",
                "Coding/TextDecodingTests.swift", "Coding/UnwrappingDecoderTests.swift",
                "Errors/LocalizedErrorTests.swift",
                "Feeds/EventStreamFramingTests.swift", "Feeds/JSONSequenceFramingTests.swift",
                "Feeds/LineFramingTests.swift", "Message/ContentRangeTests.swift", "Message/HTTPDateTests.swift",
                "Message/HTTPQueryTests.swift", "Message/HTTPStatusTests.swift", "Message/URLReferenceTests.swift",
                "Policies/Permits/CircuitStateTests.swift", "Policies/Permits/TokenBucketTests.swift",
                "Policies/RedirectPolicyTests.swift", "Policies/RetryPolicyTests.swift",
                "Progress/ProgressThrottleTests.swift", "Request/EventBufferTests.swift",
                "Request/RequestSubscriptionTests.swift", "Request/TimerQueueTests.swift",
                "Support/AnsweringTransport.swift", "Support/Bomb.swift", "Support/Call.swift",
                "Support/ChunkSource.swift", "Support/Deflate.swift", "Support/EncodedText.swift",
                "Support/EventGrammar.swift", "Support/EventRecorder.swift", "Support/Expectations.swift",
                "Support/Framings.swift", "Support/Hook.swift", "Support/ManualClock.swift", "Support/NastyTexts.swift",
                "Support/Outlines.swift", "Support/ScratchFolder.swift", "Support/ScriptedTransport.swift",
                "Support/TransportRecorder.swift", "Support/Watched.swift", "Transport/BodyBufferTests.swift",
                "Transport/ContentDecoderTests.swift", "Transport/ExchangeTimingTests.swift",
                "Transport/HeadParserTests.swift", "Transport/PreviewTests.swift", "Transport/RequestWriterTests.swift",
                "Transport/ResponseParserTests.swift", "WebSocket/FrameReaderTests.swift",
                "WebSocket/MaskKeysTests.swift", "WebSocket/MessageCompressionTests.swift",
                "WebSocket/PeerFrames.swift",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
