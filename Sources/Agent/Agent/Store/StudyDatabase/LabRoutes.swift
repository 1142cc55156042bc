// SPDX-License-Identifier: Apache-2.0
import Study

/// Which destinations get recordings, and which of them lead to the lab's receiver. For the manifests of
/// `ReportService` and `DayRecordService`, which tell a reader what should have arrived.
package struct LabRoutes: Sendable, Hashable {
    /// The address of the lab's receiver; nil = there is none.
    private(set) var address: String?
    /// Names of the destinations that get every recording.
    let recordings: [String]
    /// Names of the destinations that get some recordings only (`Destination.picksRecordings`).
    let picking: Set<String>
    /// Names of the destinations that lead to the lab's receiver.
    private(set) var lab: Set<String>

    package init(_ destinations: [ConfiguredDestination], lab address: String?) {
        let origin = address.flatMap(WebOrigin.init)
        self.address = address
        let all = destinations.filter(\.takes.hasRecordings).map(\.destination)
        recordings = all.filter { !$0.picksRecordings }.map(\.name)
        picking = Set(all.filter(\.picksRecordings).map(\.name))
        lab = Set(
            destinations.map(\.destination).filter {
                $0.isLab || origin != nil && $0.address.flatMap(WebOrigin.init) == origin
            }.map(\.name))
    }

    /// The same routes for a manifest that goes to `destination`, which then counts as the lab.
    func asSeen(from destination: String) -> LabRoutes {
        var routes = self
        (routes.address, routes.lab) = (nil, [destination])
        return routes
    }

    /// Whether the reader of the manifest gets recordings.
    var hasRecordings: Bool { address != nil || recordings.contains(where: lab.contains) }

    func isLab(_ item: OutboxItem, url: String?) -> Bool {
        if lab.contains(item.item.destination) { return true }
        guard let url, let address, !url.isEmpty else { return false }
        return WebOrigin(url) == WebOrigin(address)
    }
}
