// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "main-actor-client",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "streams", path: "../../..")],
    targets: [
        .executableTarget(
            name: "Annotated",
            dependencies: [.product(name: "Streams", package: "streams")]
        ),
        .executableTarget(
            name: "ByDefault",
            dependencies: [.product(name: "Streams", package: "streams")],
            swiftSettings: [.defaultIsolation(MainActor.self)]
        ),
    ],
    swiftLanguageModes: [.v6]
)
