// SPDX-License-Identifier: Apache-2.0

/// How a chip is mounted: which of its axes points where on the device. Rows are the device's x, y
/// and z, columns the chip's, as in the kernel's `mount-matrix` of IIO.
///
/// Each row and each column has one 1 or -1. Mirroring is allowed: the axes of an LSM9DS1's
/// accelerometer and gyroscope are left-handed.
package struct MountingMatrix: Sendable, Hashable, CustomStringConvertible {
    /// Three rows of three, each -1, 0 or 1.
    package let rows: [[Int]]

    /// A matrix of these rows; nil unless each axis of the chip becomes one of the device.
    package init?(_ rows: [[Int]]) {
        guard rows.count == 3, rows.allSatisfy({ $0.count == 3 && Self.isAxis($0) }),
            (0..<3).allSatisfy({ column in Self.isAxis(rows.map { $0[column] }) })
        else { return nil }
        self.rows = rows
    }

    /// It makes right-handed axes of left-handed ones: its determinant is -1.
    var isMirroring: Bool {
        let (x, y, z): ([Int], [Int], [Int]) = (rows[0], rows[1], rows[2])
        let first: Int = x[0] * (y[1] * z[2] - y[2] * z[1])
        let second: Int = x[1] * (y[2] * z[0] - y[0] * z[2])
        let third: Int = x[2] * (y[0] * z[1] - y[1] * z[0])
        return first + second + third < 0
    }

    /// The rows as numbers, as descriptions have them.
    var matrix: [[Double]] { rows.map { $0.map(Double.init) } }

    /// `[[0, -1, 0], [1, 0, 0], [0, 0, 1]]`.
    package var description: String {
        "[" + rows.map { "[" + $0.map(String.init).joined(separator: ", ") + "]" }.joined(separator: ", ") + "]"
    }

    private static func isAxis(_ numbers: [Int]) -> Bool {
        numbers.allSatisfy { (-1...1).contains($0) } && numbers.count { $0 != 0 } == 1
    }
}

extension ConfigTable {
    /// The mounting matrix at `key`, nil where it is absent.
    func mounting(_ key: String) throws -> MountingMatrix? {
        guard let rows = try integers(key) else { return nil }
        guard let matrix = MountingMatrix(rows) else {
            throw error(
                key,
                "is not an axis mapping: use three rows of three, with one 1 or -1 in each row and column, e.g. [[0, -1, 0], [1, 0, 0], [0, 0, 1]]"
            )
        }
        return matrix
    }
}
