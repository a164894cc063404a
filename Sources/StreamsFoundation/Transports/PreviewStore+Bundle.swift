import Foundation
import StreamsHTTP

extension PreviewStore {
    /// Returns a store that reads a bundle's resources. The path of a resource is the name of its asset, such as
    /// `api.example.com/3/movies`.
    ///
    /// - Parameters:
    ///   - bundle: The bundle.
    ///   - subdirectory: The folder of the assets in the resources, nil for all resources.
    public static func bundle(_ bundle: Bundle = .main, subdirectory: String? = nil) -> PreviewStore {
        let resources = bundle.resourceURL ?? bundle.bundleURL
        let folder = subdirectory.map { resources.appending(path: $0) } ?? resources
        return directory(folder.path(percentEncoded: false))
    }
}
