// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "streams",
    // Only Linux is tested. Nothing has been built on Apple's systems; see the article "Deployment".
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Streams", targets: ["Streams"]),
        .library(name: "StreamsHTTP", targets: ["StreamsHTTP"]),
        .library(name: "StreamsFoundation", targets: ["StreamsFoundation"]),
        .library(name: "StreamsTesting", targets: ["StreamsTesting"]),
        .library(name: "StreamsHTTPTesting", targets: ["StreamsHTTPTesting"]),
        .library(name: "StreamsLoopback", targets: ["StreamsLoopback"]),
        .executable(name: "streams", targets: ["StreamsCLI"]),
    ],
    traits: [
        .default(enabledTraits: ["Curl"]),
        .trait(name: "Curl", description: "The transport on the system's libcurl, on Linux and macOS."),
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
                .linkedLibrary(":libcurl.so.4", .when(platforms: [.linux], traits: ["Curl"])),
                .linkedLibrary("curl", .when(platforms: [.macOS], traits: ["Curl"])),
            ]
        ),
        .target(
            name: "StreamsHTTP",
            dependencies: [
                "Streams", "CStreams",
                .target(name: "CLibcurl", condition: .when(platforms: [.linux, .macOS], traits: ["Curl"])),
            ]),
        .target(name: "StreamsFoundation", dependencies: ["StreamsHTTP"]),
        .target(name: "StreamsHTTPTesting", dependencies: ["StreamsHTTP"]),
        .target(name: "StreamsLoopback"),
        .executableTarget(name: "StreamsCLI", dependencies: ["StreamsHTTP", "StreamsLoopback"]),
        // The programs of the articles "Daemons" and "Streaming from language models and MCP servers", which tests run.
        .executableTarget(name: "ShopDaemon", dependencies: ["StreamsHTTP"], path: "Tests/Fixtures/ShopDaemon"),
        .executableTarget(name: "Assistant", dependencies: ["StreamsHTTP"], path: "Tests/Fixtures/Assistant"),
        .testTarget(name: "StreamsTests", dependencies: ["Streams", "StreamsTesting"]),
        .testTarget(name: "StreamsTestingTests", dependencies: ["StreamsTesting"]),
        .testTarget(name: "StreamsLoopbackTests", dependencies: ["StreamsLoopback"]),
        .testTarget(
            name: "StreamsHTTPTests",
            dependencies: [
                "StreamsHTTP", "StreamsHTTPTesting", "StreamsTesting", "StreamsLoopback", "StreamsCLI", "ShopDaemon",
                "Assistant",
                // Its laws hold for the operators of StreamsHTTP, too.
                "StreamsTests",
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
