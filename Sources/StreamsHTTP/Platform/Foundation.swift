// URLs, data and coders without the rest of Foundation where the platform allows it: a program linked against
// the essentials alone starts faster and is a third of the size. Re-exported, so that one import is enough.
#if canImport(FoundationEssentials)
@_exported import FoundationEssentials
#else
@_exported import Foundation
#endif
