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
        /// The smallest difference that can be told, in `unit`; nil in descriptions written before it was noted.
        public var resolution: Double?

        /// A note of a channel.
        public init(name: String, unit: String, scale: Double, offset: Double, resolution: Double? = nil) {
            self.name = name
            self.unit = unit
            self.scale = scale
            self.offset = offset
            self.resolution = resolution
        }
    }
}
