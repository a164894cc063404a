// swift-tools-version: 6.2
import PackageDescription

/// The folder with checkouts of the libraries that generated clients use. Without it, targets that declare as much of
/// them as the adapters need stand in for them, because these libraries are not available to every build.
let checkouts = Context.environment["GENERATED_CLIENT_LIBRARIES"]

/// The modules of these libraries.
let generatedClients: [Target.Dependency] = [
    ("OpenAPIRuntime", "swift-openapi-runtime"), ("Smithy", "smithy-swift"), ("SmithyHTTPAPI", "smithy-swift"),
    ("SotoCore", "soto-core"),
].map { checkouts == nil ? .target(name: $0) : .product(name: $0, package: $1) }

let package = Package(
    name: "integrations",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "streams", path: "../../.."),
        .package(url: "https://github.com/apple/swift-distributed-tracing", exact: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        .target(
            name: "Adapters",
            dependencies: [
                .product(name: "StreamsHTTP", package: "streams"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Instrumentation", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ] + generatedClients),
        // Runs the adapters against a server, and exits with an error if one fails.
        .executableTarget(
            name: "Integrations",
            dependencies: [
                "Adapters",
                .product(name: "StreamsHTTP", package: "streams"),
                .product(name: "StreamsLoopback", package: "streams"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ] + generatedClients),
        // Only compiled: the names of several HTTP libraries in one file.
        .target(
            name: "Vocabularies",
            dependencies: [
                .product(name: "StreamsHTTP", package: "streams"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

if let checkouts {
    package.dependencies += ["smithy-swift", "soto-core", "swift-openapi-runtime"].map {
        .package(path: "\(checkouts)/\($0)")
    }
} else {
    package.targets += [
        .target(
            name: "OpenAPIRuntime", dependencies: [.product(name: "HTTPTypes", package: "swift-http-types")],
            path: "Sources/StandIns/OpenAPIRuntime"),
        .target(name: "Smithy", path: "Sources/StandIns/Smithy"),
        .target(name: "SmithyHTTPAPI", dependencies: ["Smithy"], path: "Sources/StandIns/SmithyHTTPAPI"),
        .target(
            name: "SotoCore",
            dependencies: [
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Sources/StandIns/SotoCore"),
    ]
}

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .treatAllWarnings(as: .error),
    ]
}
