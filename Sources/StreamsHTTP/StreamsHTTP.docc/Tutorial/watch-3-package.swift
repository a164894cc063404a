// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "watch",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../streams")],
    targets: [
        .executableTarget(
            name: "watch",
            dependencies: [
                .product(name: "StreamsHTTP", package: "streams"),
                .product(name: "StreamsLoopback", package: "streams"),
            ]),
        .testTarget(
            name: "watchTests",
            dependencies: [
                "watch",
                .product(name: "StreamsHTTPTesting", package: "streams"),
                .product(name: "StreamsTesting", package: "streams"),
            ]),
    ]
)
