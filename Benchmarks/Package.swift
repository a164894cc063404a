// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "operators", targets: ["operators"])
    ],
    dependencies: [
        .package(name: "streams", path: ".."),
        .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
        .package(url: "https://github.com/apple/swift-async-algorithms", exact: "1.1.4"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/ordo-one/benchmark", exact: "1.38.1", traits: []),
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
    ],
    swiftLanguageModes: [.v6]
)
