// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that building it builds none of the peers.
let package = Package(
    name: "soak",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "streams", path: "../..")],
    targets: [
        .executableTarget(
            name: "soak",
            dependencies: [
                .product(name: "StreamsHTTP", package: "streams"),
                .product(name: "StreamsLoopback", package: "streams"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
