// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// Buttons of one device, which numbers them from 0, with their positions in the board file instead; `ButtonOpener`
/// makes it.
final class RenumberedButtons: ButtonSource {
    private let source: any ButtonSource
    private let numbers: [Int]

    init(_ source: any ButtonSource, numbers: [Int]) { (self.source, self.numbers) = (source, numbers) }

    var descriptor: CInt { source.descriptor }
    var due: MonotonicTime? { source.due }
    var fault: (any Error)? { source.fault }
    func read() throws(SystemError) -> [ButtonEdge] { renumber(try source.read()) }
    func settle(at now: MonotonicTime) -> [ButtonEdge] { renumber(source.settle(at: now)) }

    private func renumber(_ edges: [ButtonEdge]) -> [ButtonEdge] {
        edges.compactMap { edge in
            guard numbers.indices.contains(edge.button) else { return nil }
            var edge = edge
            edge.button = numbers[edge.button]
            return edge
        }
    }
}
