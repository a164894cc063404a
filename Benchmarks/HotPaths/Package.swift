// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that building it builds none of the peers.
let package = Package(
    name: "hot-paths",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "streams", path: "../..")],
    targets: [
        // Symbolic links to what the benchmarks are made of.
        .target(name: "CAllocations"),
        .target(
            name: "Measuring", dependencies: ["CAllocations"],
            exclude: [
                "Command.swift", "Comparison.swift", "Machine.swift", "Meter.swift", "Statistics.swift", "Turns.swift",
            ]),
        .target(
            name: "PipelinesOfStreams",
            dependencies: ["Measuring", .product(name: "Streams", package: "streams")],
            path: "Sources/Pipelines"),
        .executableTarget(
            name: "hot-paths",
            dependencies: [
                "Measuring", "PipelinesOfStreams", .product(name: "StreamsHTTP", package: "streams"),
                .product(name: "StreamsLoopback", package: "streams"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
