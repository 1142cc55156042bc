// SPDX-License-Identifier: Apache-2.0
import Base

extension PanelSession {
    /// The list may change while it is open; the place is kept where it can be.
    mutating func replace(_ items: [ListItem]) {
        guard case .list(let ring) = state, items != self.items else {
            self.items = items
            return
        }
        let shown = self.items.indices.contains(ring.index) ? self.items[ring.index] : nil
        self.items = items
        if let shown, let place = items.firstIndex(of: shown) {
            state = .list(Ring(count: items.count, at: place))
        } else {
            browse(Ring(count: items.count, at: ring.index))
        }
    }

    mutating func openList() {
        effects.append(.openList)
        browse(Ring(count: items.count))
    }

    mutating func leaveList(at now: MonotonicTime) {
        effects.append(.leaveList)
        rest(at: now)
    }

    mutating func handleInList(_ ring: Ring, _ gesture: Gesture, at now: MonotonicTime) {
        var ring = ring
        if ring.move(gesture) { return browse(ring) }
        switch gesture {
        case .select where items.indices.contains(ring.index):
            effects.append(.leaveList)
            open(items[ring.index].id, quick: nil, at: now)
        case .select, .undo, .cancel: leaveList(at: now)
        case .menu:
            effects.append(.leaveList)
            openMenu()
        default: break
        }
    }

    private mutating func browse(_ ring: Ring) {
        state = .list(ring)
        let item = items.indices.contains(ring.index) ? items[ring.index] : nil
        cues.append(item.map { .listItem(ring.index + 1, text: $0.name) } ?? .nothingOpen)
    }
}
