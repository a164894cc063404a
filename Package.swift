// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "streams",
    // Nothing on Apple's other systems provides the libcurl that StreamsHTTP is built with.
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Streams", targets: ["Streams"]),
        .library(name: "StreamsHTTP", targets: ["StreamsHTTP"]),
        .library(name: "StreamsFoundation", targets: ["StreamsFoundation"]),
        .library(name: "StreamsTesting", targets: ["StreamsTesting"]),
        .library(name: "StreamsLoopback", targets: ["StreamsLoopback"]),
        .executable(name: "streams", targets: ["StreamsCLI"]),
    ],
    targets: [
        .target(name: "Streams"),
        .target(name: "StreamsTesting", dependencies: ["Streams"]),
        .target(
            name: "CLibcurl",
            linkerSettings: [
                // The library's own file name: the unversioned one comes only with a development package.
                .linkedLibrary(":libcurl.so.4", .when(platforms: [.linux])),
                .linkedLibrary("curl", .when(platforms: [.macOS])),
            ]
        ),
        .target(name: "StreamsHTTP", dependencies: ["Streams", "CLibcurl"]),
        .target(name: "StreamsFoundation", dependencies: ["StreamsHTTP"]),
        .target(name: "StreamsLoopback"),
        .executableTarget(name: "StreamsCLI", dependencies: ["StreamsHTTP", "StreamsLoopback"]),
        .testTarget(name: "StreamsTests", dependencies: ["Streams", "StreamsTesting"]),
        .testTarget(name: "StreamsTestingTests", dependencies: ["StreamsTesting"]),
        .testTarget(name: "StreamsLoopbackTests", dependencies: ["StreamsLoopback"]),
        .testTarget(name: "StreamsHTTPTests", dependencies: ["StreamsHTTP", "StreamsTesting", "StreamsLoopback"]),
        .testTarget(
            name: "StreamsFoundationTests", dependencies: ["StreamsFoundation", "StreamsTesting", "StreamsLoopback"]),
        .testTarget(name: "StreamsCLITests", dependencies: ["StreamsCLI", "StreamsLoopback"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.name != "CLibcurl" {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}
