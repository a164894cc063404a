#if canImport(CLibcurl)
import CStreams

/// The engines of a transport, each of which performs the exchanges with some destinations.
///
/// All exchanges with a destination go to one engine, so that its connections, their limit, and what is known of the
/// server need not be shared. A hash of the destination selects a slot, and the slots are assigned to the engines in turn
/// when they are first used: a few destinations are distributed evenly. A slot keeps its engine.
struct EngineSet {
    private static let slotCount = 1024

    private let configuration: CurlTransport.Configuration
    private let resources: EngineResources
    /// The process that the engines run in.
    private let process = ProcessGeneration.current
    /// The engines by their numbers; `nil` before the first exchange.
    private var engines: [TransportEngine?]
    /// The engines of the slots; `nil` before the first exchange.
    private var slots: [TransportEngine?]
    /// The number of the engine for the next slot.
    private var nextEngine = 0

    init(_ configuration: CurlTransport.Configuration) {
        self.configuration = configuration
        let count = min(max(configuration.engineCount ?? Self.defaultCount, 1), EngineResources.maxEngineCount)
        resources = EngineResources(engineCount: count, maxIdleConnections: configuration.maxIdleConnections)
        engines = [TransportEngine?](repeating: nil, count: count)
        slots = [TransportEngine?](repeating: nil, count: count == 1 ? 1 : Self.slotCount)
    }

    /// The number of engines by default.
    private static let defaultCount = count(forCores: Int(streams_core_count()))

    /// Returns the number of engines by default on a number of cores.
    static func count(forCores cores: Int) -> Int { min(max(cores / 4, 1), 8) }

    /// The engines that have been started in this process.
    var running: [TransportEngine] { process == ProcessGeneration.current ? engines.compactMap(\.self) : [] }

    /// Returns the engine of a destination, and starts it if necessary.
    mutating func engine(for destination: String) throws(TransportFailure) -> TransportEngine {
        // A fork does not copy the threads, so the child starts its own.
        if process != ProcessGeneration.current { self = EngineSet(configuration) }
        let slot = slots.count == 1 ? 0 : Int(UInt(bitPattern: destination.hashValue) % UInt(slots.count))
        if let engine = slots[slot] { return engine }
        let engine = try engineForSlot()
        slots[slot] = engine
        return engine
    }

    private mutating func engineForSlot() throws(TransportFailure) -> TransportEngine {
        let number = nextEngine
        nextEngine = (number + 1) % engines.count
        if let engine = engines[number] { return engine }
        do throws(TransportFailure) {
            let engine = try TransportEngine(configuration, EngineShare(resources, engine: number))
            engines[number] = engine
            return engine
        } catch {
            // Without a descriptor or a thread for another one, one that runs takes its part.
            guard let engine = running.first else { throw error }
            return engine
        }
    }
}
#endif
