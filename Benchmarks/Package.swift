// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "operators", targets: ["operators"]),
        .executable(name: "http", targets: ["http"]),
        .executable(name: "websockets", targets: ["websockets"]),
    ],
    dependencies: [
        .package(name: "streams", path: ".."),
        .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
        .package(url: "https://github.com/apple/swift-async-algorithms", exact: "1.1.4"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    ],
    targets: [
        .target(name: "CAllocations"),
        .target(name: "Measuring", dependencies: ["CAllocations"]),
        .target(
            name: "PipelinesOfStreams",
            dependencies: ["Measuring", .product(name: "Streams", package: "streams")],
            path: "Sources/Pipelines"),
        // The same files once more, by a symbolic link.
        .target(
            name: "PipelinesOfOpenCombine",
            dependencies: [
                "Measuring",
                .product(name: "OpenCombine", package: "OpenCombine"),
                .product(name: "OpenCombineDispatch", package: "OpenCombine"),
            ],
            swiftSettings: [.define("OPENCOMBINE")]),
        .target(name: "PipelinesByHand", dependencies: ["Measuring"]),
        .target(
            name: "PipelinesOfAsyncAlgorithms",
            dependencies: ["Measuring", .product(name: "AsyncAlgorithms", package: "swift-async-algorithms")]),
        .executableTarget(
            name: "operators",
            dependencies: [
                "Measuring", "PipelinesOfStreams", "PipelinesOfOpenCombine", "PipelinesByHand",
                "PipelinesOfAsyncAlgorithms",
            ]),
        .target(
            name: "CPlainCurl",
            linkerSettings: [
                .linkedLibrary(":libcurl.so.4", .when(platforms: [.linux])),
                .linkedLibrary("curl", .when(platforms: [.macOS])),
            ]),
        .target(name: "Exchanging", dependencies: ["Measuring"]),
        .target(
            name: "ExchangingByStreams",
            dependencies: ["Exchanging", .product(name: "StreamsHTTP", package: "streams")]),
        .target(
            name: "ExchangingByAsyncHTTPClient",
            dependencies: [
                "Exchanging",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        .target(name: "ExchangingByURLSession", dependencies: ["Exchanging"]),
        .target(
            name: "FeedServing",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        .executableTarget(
            name: "http",
            dependencies: [
                "Measuring", "Exchanging", "ExchangingByStreams", "ExchangingByAsyncHTTPClient",
                "ExchangingByURLSession", "FeedServing", "CPlainCurl",
                .product(name: "StreamsLoopback", package: "streams"),
            ]),
        .target(
            name: "WebSocketServing",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ]),
        .executableTarget(
            name: "websockets",
            dependencies: [
                "Measuring", "WebSocketServing", .product(name: "StreamsHTTP", package: "streams"),
                .product(name: "StreamsLoopback", package: "streams"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ]),
        // One request and out: to see how long a program takes to start, and how large it is.
        .executableTarget(name: "one-by-streams", dependencies: ["ExchangingByStreams"]),
        .executableTarget(name: "one-by-async-http-client", dependencies: ["ExchangingByAsyncHTTPClient"]),
        .executableTarget(name: "one-by-urlsession", dependencies: ["ExchangingByURLSession"]),
    ],
    swiftLanguageModes: [.v6]
)
