import Foundation
import StreamsHTTP

/// A store that is a bundle's resources: the asset `api.example.com/3/movies` is the resource of that path.
public struct BundlePreviewStore: PreviewStore {
    private let directory: DirectoryPreviewStore

    /// - Parameters:
    ///   - bundle: Whose resources.
    ///   - subdirectory: The folder among them; all of them by default.
    public init(_ bundle: Bundle = .main, subdirectory: String? = nil) {
        let resources = bundle.resourceURL ?? bundle.bundleURL
        let folder = subdirectory.map { resources.appending(path: $0) } ?? resources
        directory = DirectoryPreviewStore(path: folder.path(percentEncoded: false))
    }

    public func asset(named name: String) throws -> PreviewAsset? {
        try directory.asset(named: name)
    }
}
