// SPDX-License-Identifier: Apache-2.0

extension Array {
    /// The first index with an element that fulfils `isAfter`, in an array partitioned by `isAfter`; `count`
    /// when none does. `@inlinable` for the loops of other modules.
    @inlinable package func partitioningIndex(_ isAfter: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
