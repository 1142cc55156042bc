// SPDX-License-Identifier: Apache-2.0

/// A driver for one or more chips of the catalog that share their registers. Where its chip is and how it is
/// used is in `chip`. `ChipCatalog` makes it; `SampledDevice` works with it.
protocol ChipDriver: VectorSensor, SendableMetatype {
    /// The chips with these registers; the first is the default.
    static var models: [ChipModel] { get }
    var chip: ChipContext { get }
    /// Nothing is sent yet.
    init(chip: ChipContext)
    /// Every control register that matters, in the order in which `setUp` writes them.
    var settings: RegisterWrites { get }
}

extension ChipDriver {
    static var identity: ChipIdentity { models[0].identity }

    /// A driver of the first model; throws what `ChipContext` throws.
    init(bus: any I2CBus, busName: String, settings: ChipSettings = ChipSettings()) throws(SettingError) {
        self.init(chip: try ChipContext(bus: bus, busName: busName, settings: settings, model: Self.models[0]))
    }

    var bus: any I2CBus { chip.bus }
    var source: SourceDescription { chip.source }
    var place: ChipPlace { chip.place }
    var depth: Int { chip.depth }
    var watermark: Int { chip.watermark }
    var hasInterrupt: Bool { chip.hasInterrupt }
    func setUp() throws(I2CError) { try write(settings) }
}
