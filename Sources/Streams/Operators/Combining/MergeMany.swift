extension Publishers {
    /// A publisher that delivers what any number of publishers of one type deliver, as it comes. See ``Merge`` for how.
    public struct MergeMany<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publishers, in the order in which they are subscribed to.
        public let publishers: [Upstream]

        /// Makes a publisher that subscribes to these in this order.
        @inlinable
        public init(_ upstream: Upstream...) {
            publishers = upstream
        }

        /// Makes a publisher that subscribes to these in this order.
        @inlinable
        public init<S: Swift.Sequence>(_ upstream: S) where Upstream == S.Element {
            publishers = Array(upstream)
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let confluence = Confluence.merging(into: subscriber)
            for publisher in publishers { confluence.join(publisher) }
            confluence.seal()
        }

        /// Merges one more publisher of the same type, without a new level.
        @inlinable
        public func merge(with other: Upstream) -> MergeMany<Upstream> {
            MergeMany(publishers + [other])
        }
    }
}

extension Publishers.MergeMany: Equatable where Upstream: Equatable {}
extension Publishers.MergeMany: Sendable where Upstream: Sendable {}
