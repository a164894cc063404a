// swift-tools-version: 6.2
import PackageDescription

// A package of its own, because all of it is built with the fuzzer's instrumentation; see .ci/fuzz.
let package = Package(
    name: "fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "streams", path: "../../..")],
    targets: [
        .target(name: "CURLOrigin"),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "CURLOrigin", .product(name: "StreamsHTTP", package: "streams"),
                .product(name: "StreamsHTTPTesting", package: "streams"),
                .product(name: "StreamsLoopback", package: "streams"),
                .product(name: "StreamsTesting", package: "streams"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
