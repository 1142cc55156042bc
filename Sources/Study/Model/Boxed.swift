// SPDX-License-Identifier: Apache-2.0

/// A large value behind one reference. A copy of what holds it counts one reference instead of one for each of
/// its fields; the value itself is copied on write, as an array is, which it is made of. Inlinable, since
/// unspecialised accessors ask the runtime for the array's type each time. The large parts of
/// `StudyConductor`, `PanelSession` and `ActiveStudy` are held in it.
@usableFromInline package struct Boxed<Value> {
    @usableFromInline var storage: [Value]

    @inlinable package init(_ value: Value) { storage = [value] }

    /// Read and changed in place: nothing is copied on the way.
    @inlinable package var value: Value {
        // A span's element is lent; an array's own would be copied.
        _read { yield storage.span[0] }
        _modify { yield &storage[0] }
    }
}

extension Boxed: Sendable where Value: Sendable {}
