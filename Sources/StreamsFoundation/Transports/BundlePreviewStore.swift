import Foundation
import StreamsHTTP

/// A preview store that reads a bundle's resources. The path of a resource is the name of its asset, such as
/// `api.example.com/3/movies`.
public struct BundlePreviewStore: PreviewStore {
    private let directory: DirectoryPreviewStore

    /// Creates a store of a bundle's resources.
    ///
    /// - Parameters:
    ///   - bundle: The bundle.
    ///   - subdirectory: The folder of the assets in the resources, nil for all resources.
    public init(_ bundle: Bundle = .main, subdirectory: String? = nil) {
        let resources = bundle.resourceURL ?? bundle.bundleURL
        let folder = subdirectory.map { resources.appending(path: $0) } ?? resources
        directory = DirectoryPreviewStore(path: folder.path(percentEncoded: false))
    }

    public func asset(named name: String) throws -> PreviewAsset? {
        try directory.asset(named: name)
    }
}
