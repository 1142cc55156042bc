// SPDX-License-Identifier: Apache-2.0

extension RecordingDescription {
    /// One channel of the source.
    public struct ChannelNote: Sendable, Hashable, Codable {
        /// `accel_x`.
        public var name: String
        /// The unit of `(raw + offset) × scale`.
        public var unit: String
        /// Units per raw count.
        public var scale: Double
        /// Raw counts added before scaling.
        public var offset: Double

        /// A note of a channel.
        public init(name: String, unit: String, scale: Double, offset: Double) {
            self.name = name
            self.unit = unit
            self.scale = scale
            self.offset = offset
        }
    }
}
