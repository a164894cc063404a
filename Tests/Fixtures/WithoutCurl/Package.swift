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
                "Client/Policies/Permits/CircuitStateTests.swift", "Client/Policies/Permits/TokenBucketTests.swift",
                "Client/Progress/ProgressThrottleTests.swift", "Client/Request/EventBufferTests.swift",
                "Client/Request/RequestSubscriptionTests.swift", "Client/Request/TimerQueueTests.swift",
                "Feeds/EventStreamFramingTests.swift", "Feeds/JSONSequenceFramingTests.swift",
                "Feeds/LineFramingTests.swift", "Support/AnsweringTransport.swift", "Support/Bomb.swift",
                "Support/Call.swift", "Support/ChunkSource.swift", "Support/Deflate.swift",
                "Support/EncodedText.swift", "Support/EventGrammar.swift", "Support/EventRecording.swift",
                "Support/Expectations.swift", "Support/Framings.swift", "Support/Hook.swift",
                "Support/ManualClock.swift", "Support/NastyTexts.swift", "Support/Outlines.swift",
                "Support/ScratchFolder.swift", "Support/ScriptedTransport.swift", "Support/StreamRecorder.swift",
                "Support/TransportRecorder.swift", "Support/Watched.swift", "Transport/BodyBufferTests.swift",
                "Transport/ExchangeTimingTests.swift", "Transport/HeadParserTests.swift",
                "Transport/PreviewTests.swift", "Transport/RequestWriterTests.swift",
                "Transport/ResponseParserTests.swift",
                "Values/Coding/CoderRegistryTests.swift", "Values/Coding/CoderTests.swift",
                "Values/Coding/QueryEncoderTests.swift", "Values/Coding/TextDecodingTests.swift",
                "Values/Coding/UnwrappingDecoderTests.swift", "Values/ContentCoding/ContentDecoderTests.swift",
                "Values/Errors/LocalizedErrorTests.swift", "Values/Message/ContentRangeTests.swift",
                "Values/Message/HTTPDateTests.swift", "Values/Message/HTTPQueryTests.swift",
                "Values/Message/HTTPStatusTests.swift", "Values/Message/URLReferenceTests.swift",
                "Values/Options/RedirectPolicyTests.swift", "Values/Options/RetryPolicyTests.swift",
                "WebSocket/FrameReaderTests.swift", "WebSocket/MaskKeysTests.swift",
                "WebSocket/MessageCompressionTests.swift", "WebSocket/PeerFrames.swift",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
