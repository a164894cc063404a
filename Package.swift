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
        .library(name: "StreamsHTTPTesting", targets: ["StreamsHTTPTesting"]),
        .library(name: "StreamsLoopback", targets: ["StreamsLoopback"]),
        .executable(name: "streams", targets: ["StreamsCLI"]),
    ],
    targets: [
        .target(name: "Streams"),
        .target(name: "StreamsTesting", dependencies: ["Streams"]),
        .target(name: "CStreams", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        .target(
            name: "CLibcurl",
            dependencies: ["CStreams"],
            linkerSettings: [
                // The library's own file name: the unversioned one comes only with a development package.
                .linkedLibrary(":libcurl.so.4", .when(platforms: [.linux])),
                .linkedLibrary("curl", .when(platforms: [.macOS])),
            ]
        ),
        .target(name: "StreamsHTTP", dependencies: ["Streams", "CStreams", "CLibcurl"]),
        .target(name: "StreamsFoundation", dependencies: ["StreamsHTTP"]),
        .target(name: "StreamsHTTPTesting", dependencies: ["StreamsHTTP"]),
        .target(name: "StreamsLoopback"),
        .executableTarget(name: "StreamsCLI", dependencies: ["StreamsHTTP", "StreamsLoopback"]),
        // The program of the article "Daemons", which a test runs.
        .executableTarget(name: "ShopDaemon", dependencies: ["StreamsHTTP"], path: "Tests/Fixtures/ShopDaemon"),
        .testTarget(name: "StreamsTests", dependencies: ["Streams", "StreamsHTTP", "StreamsTesting"]),
        .testTarget(name: "StreamsTestingTests", dependencies: ["StreamsTesting"]),
        .testTarget(name: "StreamsLoopbackTests", dependencies: ["StreamsLoopback"]),
        .testTarget(
            name: "StreamsHTTPTests",
            dependencies: [
                "StreamsHTTP", "StreamsHTTPTesting", "StreamsTesting", "StreamsLoopback", "StreamsCLI", "ShopDaemon",
            ]),
        .testTarget(
            name: "StreamsHTTPTestingTests", dependencies: ["StreamsHTTPTesting", "StreamsTesting", "StreamsLoopback"]),
        .testTarget(
            name: "StreamsFoundationTests",
            dependencies: ["StreamsFoundation", "StreamsHTTPTesting", "StreamsTesting", "StreamsLoopback"]),
        .testTarget(name: "StreamsCLITests", dependencies: ["StreamsCLI", "StreamsLoopback"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where !["CStreams", "CLibcurl"].contains(target.name) {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}
