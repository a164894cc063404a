// swift-metrics: gauges of a client's state, with the names of OpenTelemetry's conventions where there are some. Record a
// snapshot at an interval.

import Metrics
import StreamsHTTP

/// A recorder of snapshots with swift-metrics.
public struct SnapshotGauges: Sendable {
    private let factory: any MetricsFactory

    /// Creates a recorder that records to a factory; the bootstrapped one by default.
    public init(factory: any MetricsFactory = MetricsSystem.factory) {
        self.factory = factory
    }

    /// Records a snapshot.
    public func record(_ snapshot: HTTPClient.Snapshot) {
        set("http.client.active_requests", to: snapshot.requestQueue.running)
        set("http.client.queued_requests", to: snapshot.requestQueue.waiting)
        set("http.client.feeds", to: snapshot.feedQueue.running)
        for origin in snapshot.origins {
            let server = [("server.address", origin.name)]
            if let connections = origin.connections {
                let name = "http.client.open_connections"
                set(name, to: connections.open - connections.idle, server + [("http.connection.state", "active")])
                set(name, to: connections.idle, server + [("http.connection.state", "idle")])
            }
            if let permits = origin.permits {
                set("http.client.permits.waiting", to: permits.waitingForPlace + permits.waitingForRate, server)
                set(
                    "http.client.circuit.closed", to: permits.circuit == nil || permits.circuit == .closed ? 1 : 0,
                    server)
            }
        }
    }

    private func set(_ label: String, to value: Int, _ dimensions: [(String, String)] = []) {
        Gauge(label: label, dimensions: dimensions, factory: factory).record(value)
    }
}
